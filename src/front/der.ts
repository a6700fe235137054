// The few shapes of DER that certificates are made of. Node can sign bytes but cannot make certificates.

/** One value: its tag, its length, its content. */
export function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(body.length)]), body])
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length]
  if (length < 0x100) return [0x81, length]
  return [0x82, length >> 8, length & 0xff]
}

export const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts)
/** An object identifier whose content is given in hexadecimal digits. */
export const identifier = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'))
/** A number that is not negative, given as bytes. */
export const integer = (bytes: Buffer): Buffer =>
  der(0x02, (bytes[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.from([0]), bytes]) : bytes)
export const octets = (value: Buffer): Buffer => der(0x04, value)
export const text = (value: string): Buffer => der(0x0c, Buffer.from(value))
export const yes = (): Buffer => der(0x01, Buffer.from([0xff]))
/** A string of bits; `unused` of the last byte do not count. */
export const bits = (value: Buffer, unused = 0): Buffer => der(0x03, Buffer.from([unused]), value)
/** A moment until 2049, which certificates write with two digits of the year. */
export const utcTime = (atMs: number): Buffer =>
  der(0x17, Buffer.from(`${new Date(atMs).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`))
