"""matplotlib: a figure with several axes as PNG, and its pixels read back by Pillow."""

import matplotlib.pyplot as plt
from PIL import Image

figure, (left, right) = plt.subplots(1, 2, figsize=(6, 3), dpi=100)
left.plot([1, 2, 3], [2, 1, 3], label="größer ≥")
left.legend()
left.set_title("line")
right.hist([1, 1, 2, 3, 3, 3], bins=3, color="red")
figure.tight_layout()
figure.savefig("out/two.png")
plt.close(figure)
with Image.open("out/two.png") as image:
    assert image.size == (600, 300), image.size
    colours = image.convert("RGB").getcolors(1 << 20)
assert (255, 0, 0) in {colour for _, colour in colours}
print(image.format, len(colours) > 10)
