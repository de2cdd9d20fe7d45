// Pictures of pages made small: a page has few colours, so that a palette of the most frequent ones holds it.

import { crc32 as sum, deflateSync, inflateSync } from "node:zlib";

const COLOURS_MAX = 256;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A picture as the browser took it, with at most 256 colours. */
export function small(/** @type {Buffer} */ png) {
  const { width, height, pixels } = read(png);
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const palette = [...counts].sort((a, b) => b[1] - a[1]).slice(0, COLOURS_MAX).map(([colour]) => colour);
  const places = new Map(palette.map((colour, at) => [colour, at]));
  for (const colour of counts.keys()) if (!places.has(colour)) places.set(colour, nearest(colour, palette));
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) rows[y * (width + 1) + 1 + x] = places.get(pixels[y * width + x]) ?? 0;
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([SIGNATURE, chunk("IHDR", head), chunk("PLTE", colours), chunk("IDAT", deflateSync(rows, { level: 9 })), chunk("IEND", Buffer.alloc(0))]);
}

/**
 * @param {number} colour
 * @param {number[]} palette
 */
function nearest(colour, palette) {
  let best = 0;
  let least = Infinity;
  palette.forEach((other, at) => {
    const [r, g, b] = [16, 8, 0].map((shift) => ((colour >> shift) & 255) - ((other >> shift) & 255));
    const far = 3 * r * r + 4 * g * g + 2 * b * b;
    if (far < least) [best, least] = [at, far];
  });
  return best;
}

/** Width, height and colours of a PNG of eight bits without interlacing, as browsers write them. */
function read(/** @type {Buffer} */ png) {
  let [width, height, channels] = [0, 0, 0];
  const parts = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const name = png.toString("latin1", at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    if (name === "IHDR") {
      [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
      channels = { 2: 3, 6: 4 }[data[9]] ?? 0;
      if (data[8] !== 8 || !channels || data[12]) throw new Error("a picture of another kind");
    }
    if (name === "IDAT") parts.push(data);
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const lines = Buffer.alloc(height * stride);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x += 1) {
      const left = x >= channels ? lines[y * stride + x - channels] : 0;
      const up = y ? lines[(y - 1) * stride + x] : 0;
      const corner = y && x >= channels ? lines[(y - 1) * stride + x - channels] : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      lines[y * stride + x] = raw[y * (stride + 1) + 1 + x] + guess;
    }
  }
  const pixels = new Uint32Array(width * height);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = (lines[at * channels] << 16) | (lines[at * channels + 1] << 8) | lines[at * channels + 2];
  return { width, height, pixels };
}

/**
 * @param {number} left
 * @param {number} up
 * @param {number} corner
 */
function paeth(left, up, corner) {
  const guess = left + up - corner;
  const [a, b, c] = [left, up, corner].map((value) => Math.abs(guess - value));
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/**
 * @param {string} name
 * @param {Buffer} data
 */
function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(sum(body));
  return Buffer.concat([length, body, check]);
}
