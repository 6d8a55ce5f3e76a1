/** What a `.env` file says. */
export interface DotEnv {
  readonly variables: ReadonlyMap<string, string>
  /** Lines that are no assignment, counted from 1. */
  readonly problems: readonly { readonly line: number; readonly message: string }[]
}

const ASSIGNMENT = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*/
const AFTER_QUOTE = /^[ \t]*(?:#.*)?$/
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/**
 * Reads `NAME=value` lines: `export` before the name, comments, values in single quotes (as they
 * are) or double quotes (`\n`, `\r`, `\t`, `\"`, `\\`), both over several lines. Nothing is
 * expanded: a `$` is a `$`. A name that comes twice has its last value.
 *
 * @example
 * parseDotEnv('export TOKEN="a b" # mine').variables.get('TOKEN') // 'a b'
 */
export function parseDotEnv(text: string): DotEnv {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  const variables = new Map<string, string>()
  const problems: { readonly line: number; readonly message: string }[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (/^\s*(#|$)/.test(line)) continue
    const [head, name] = ASSIGNMENT.exec(line) ?? []
    if (head === undefined || name === undefined) {
      problems.push({ line: at + 1, message: 'this is no NAME=value' })
      continue
    }
    const rest = line.slice(head.length)
    const quote = rest[0]
    if (quote !== '"' && quote !== "'") {
      variables.set(name, rest.replace(/(?:^|\s)#.*$/, '').trim())
      continue
    }
    const quoted = readQuoted(lines, at, head.length + 1, quote)
    if (!quoted) {
      problems.push({ line: at + 1, message: `the ${quote} of ${name} is never closed` })
      continue
    }
    if (AFTER_QUOTE.test(quoted.rest)) variables.set(name, quoted.value)
    else
      problems.push({
        line: quoted.line + 1,
        message: `there is something behind the closing ${quote} of ${name}`,
      })
    at = quoted.line
  }
  return { variables, problems }
}

/** The value from `column` on to the closing quote, in this line or a later one. */
function readQuoted(
  lines: readonly string[],
  from: number,
  column: number,
  quote: '"' | "'",
): { readonly value: string; readonly line: number; readonly rest: string } | undefined {
  let value = ''
  for (let at = from; at < lines.length; at++) {
    const line = lines[at] ?? ''
    for (let here = at === from ? column : 0; here < line.length; here++) {
      const char = line[here] ?? ''
      if (char === quote) return { value, line: at, rest: line.slice(here + 1) }
      if (char === '\\' && quote === '"' && here + 1 < line.length) {
        const escaped = line[++here] ?? ''
        value +=
          ESCAPES[escaped] ?? (escaped === '"' || escaped === '\\' ? escaped : `\\${escaped}`)
      } else {
        value += char
      }
    }
    value += '\n'
  }
  return undefined
}
