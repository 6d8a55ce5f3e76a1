import type { Verdict } from './verdict.ts'

interface Sum {
  cases: number
  acknowledged: number
  effects: number
  unknown: number
  lost: number
  doubled: number
  broken: number
}

/** Adds up what the tests of a file have seen, and shows it in the end. */
export class Tally {
  readonly #title: string
  readonly #sums = new Map<string, Sum>()

  constructor(title: string) {
    this.#title = title
  }

  add(row: string, { acknowledged, effects, unknown, findings }: Verdict): void {
    const sum = this.#sums.get(row) ?? {
      cases: 0,
      acknowledged: 0,
      effects: 0,
      unknown: 0,
      lost: 0,
      doubled: 0,
      broken: 0,
    }
    this.#sums.set(row, sum)
    sum.cases++
    sum.acknowledged += acknowledged
    sum.effects += effects
    sum.unknown += unknown.length
    for (const { kind } of findings) sum[kind]++
  }

  print(): void {
    const head = [
      this.#title,
      'cases',
      'messages',
      'effects',
      'unknown',
      'lost',
      'doubled',
      'broken',
    ]
    const rows = [...this.#sums].map(([name, sum]) => [
      name,
      ...[
        sum.cases,
        sum.acknowledged,
        sum.effects,
        sum.unknown,
        sum.lost,
        sum.doubled,
        sum.broken,
      ].map(String),
    ])
    const widths = head.map((_, at) =>
      Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)),
    )
    const line = (row: readonly string[]): string =>
      row
        .map((cell, at) =>
          at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
        )
        .join('  ')
    process.stdout.write(`\n${[head, ...rows].map(line).join('\n')}\n\n`)
  }
}
