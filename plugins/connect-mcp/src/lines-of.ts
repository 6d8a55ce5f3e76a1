/** Characters of one line; the rest of it is dropped. */
const LONGEST = 1_000

/** Cuts what arrives into lines and hands on each that says something. */
export function linesOf(said: (line: string) => void): (chunk: Buffer) => void {
  let held = ''
  return (chunk) => {
    const lines = (held + chunk.toString('utf8')).split('\n')
    held = (lines.pop() ?? '').slice(0, LONGEST)
    for (const line of lines) if (line.trim() !== '') said(line.trimEnd().slice(0, LONGEST))
  }
}
