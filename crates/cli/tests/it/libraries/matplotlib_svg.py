"""matplotlib: the same kind of figure as SVG and PDF, without a display."""

import xml.etree.ElementTree

import matplotlib
import matplotlib.pyplot as plt

assert matplotlib.get_backend().lower() == "agg", matplotlib.get_backend()
figure, axes = plt.subplots()
axes.bar(["a", "b"], [1, 2])
axes.set_xlabel("$x^2$")
figure.savefig("out/bars.svg")
figure.savefig("out/bars.pdf")
plt.close(figure)
root = xml.etree.ElementTree.parse("out/bars.svg").getroot()
assert root.tag == "{http://www.w3.org/2000/svg}svg", root.tag
with open("out/bars.pdf", "rb") as file:
    head = file.read(5)
print(head.decode(), len(list(root.iter())) > 20)
