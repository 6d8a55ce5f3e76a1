/**
 * How a value may be spelled by somebody who wants to get it past a guard, and still be read by a
 * machine.
 */
export function spellings(value: string): readonly string[] {
  const bytes = Buffer.from(value)
  const inBase64 = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    return whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
  })
  return [
    value,
    value.toUpperCase(),
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    [...value].reverse().join(''),
    bytes.toString('hex'),
    ...inBase64,
    ...inBase64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ]
}

/** Which of these values a text gives away. */
export function leaksIn(text: string, values: Readonly<Record<string, string>>): readonly string[] {
  const bare = text.replaceAll(/[\s.-]/g, '')
  return Object.entries(values).flatMap(([name, value]) => {
    const found = spellings(value).find((one) => text.includes(one))
    const digits = value.replaceAll(/\D/g, '')
    const spread = digits.length >= 9 && digits.length + 4 >= value.length && bare.includes(digits)
    return found !== undefined || spread ? [`${name} (${found ?? digits})`] : []
  })
}
