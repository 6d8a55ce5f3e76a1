/** From one moment to another, in ms since the epoch. */
export type Span = readonly [begin: number, end: number]

/** Minutes of a window that any of the spans covers; what two of them cover counts once. */
export function minutesIn([begin, end]: Span, spans: readonly Span[]): number {
  let covered = 0
  let until = begin
  for (const [from, to] of [...spans].sort((a, b) => a[0] - b[0])) {
    const start = Math.max(from, until)
    const stop = Math.min(to, end)
    if (stop <= start) continue
    covered += stop - start
    until = stop
  }
  return Math.round(covered / 60_000)
}
