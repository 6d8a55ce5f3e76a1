/** Characters of one line; the rest of it is dropped. */
const LONGEST = 1_000

/** Splits chunks into lines and passes on each one that is not blank. */
export function linesOf(onLine: (line: string) => void): (chunk: Buffer) => void {
  let held = ''
  return (chunk) => {
    const lines = (held + chunk.toString('utf8')).split('\n')
    held = (lines.pop() ?? '').slice(0, LONGEST)
    for (const line of lines) if (line.trim() !== '') onLine(line.trimEnd().slice(0, LONGEST))
  }
}
