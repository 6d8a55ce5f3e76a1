/**
 * How a value may be spelled by somebody who wants to get it past a guard, and still be read by a
 * machine.
 */
export function spellings(value: string): readonly string[] {
  return [
    ...readable(value),
    Buffer.from(value).toString('hex'),
    ...[0, 1, 2].flatMap((before) => {
      const text = Buffer.from(' '.repeat(before) + value).toString('base64')
      return [text, text.replaceAll('+', '-').replaceAll('/', '_')]
    }),
  ]
}

const readable = (value: string): readonly string[] => [
  value,
  value.toUpperCase(),
  encodeURIComponent(value),
  JSON.stringify(value).slice(1, -1),
]

/** What base64 has of a value, whatever stands around it. */
function base64Cores(value: string): readonly string[] {
  const bytes = Buffer.from(value)
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
  })
}

/** Which of these values a text gives away. */
export function leaksIn(text: string, values: Readonly<Record<string, string>>): readonly string[] {
  const bare = text.replaceAll(/[\s.-]/g, '')
  return Object.entries(values).flatMap(([name, value]) => {
    const found = [...spellings(value), ...base64Cores(value)].find((one) => text.includes(one))
    const digits = value.replaceAll(/\D/g, '')
    const spread = digits.length >= 9 && digits.length + 4 >= value.length && bare.includes(digits)
    return found !== undefined || spread ? [`${name} (${found ?? digits})`] : []
  })
}
