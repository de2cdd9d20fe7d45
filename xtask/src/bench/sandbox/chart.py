"""A small bar chart with a title, saved as a file."""

from matplotlib import pyplot

figure, axes = pyplot.subplots()
axes.bar(["north", "east", "south", "west"], [31.5, 12.25, 27.0, 8.75])
axes.set_title("Revenue by region")
axes.set_ylabel("thousand")
figure.savefig("out/chart.png")
