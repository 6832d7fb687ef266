import { deflateSync, crc32 } from "node:zlib"

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** A whole PNG of one colour. */
export const png = (width: number, height: number): Uint8Array => {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 0, 0, 0, 0], 8)
  const rows = deflateSync(Buffer.alloc((width + 1) * height))
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", head),
    chunk("IDAT", rows),
    chunk("IEND", Buffer.alloc(0))
  ])
}

/** The beginning of a picture of each kind, as far as its size. */
export const pictures = (width: number, height: number): Readonly<Record<string, Uint8Array>> => {
  const little = (value: number) => [value & 0xff, value >> 8]
  const big = (value: number) => [value >> 8, value & 0xff]
  return {
    "image/png": png(width, height),
    "image/jpeg": Buffer.from([
      ...Buffer.from("ffd8ffe000040000ffc0000b08", "hex"),
      ...big(height),
      ...big(width),
      ...Buffer.from("01011100ffd9", "hex")
    ]),
    "image/gif": Buffer.from([...Buffer.from("GIF89a"), ...little(width), ...little(height), 0, 0, 0]),
    "image/webp": Buffer.from([
      ...Buffer.from("RIFF\0\0\0\0WEBPVP8X"),
      ...Buffer.from("0a00000000000000", "hex"),
      ...little(width - 1),
      0,
      ...little(height - 1),
      0
    ])
  }
}
