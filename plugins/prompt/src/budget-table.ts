import type { Budget } from './budget.ts'

const RULE = '─'.repeat(44)
/** Where the numbers end. */
const COLUMN = 29

/** The table that `amodal inspect` prints. */
export function budgetTable({ rows, total, available, window }: Budget): string {
  const share = (tokens: number): string =>
    `${number(tokens)} tokens (${((tokens / window) * 100).toFixed(1)}%)`
  return [
    'Context Budget Breakdown',
    RULE,
    ...rows.flatMap(({ label, tokens, parts }) => [
      line(label, share(tokens)),
      ...parts.map((part) => line(`  ${part.name}`, number(part.tokens))),
    ]),
    RULE,
    line('Total context', share(total)),
    available >= 0
      ? line('Available for chat', share(available))
      : line('Beyond the window', share(-available)),
  ].join('\n')
}

/** The numbers of all lines end in one column, unless a name reaches into it. */
function line(label: string, figures: string): string {
  const [first = '', ...rest] = figures.split(' ')
  return [
    `${label}${first.padStart(Math.max(COLUMN - label.length, first.length + 2))}`,
    ...rest,
  ].join(' ')
}

const number = (n: number): string => n.toLocaleString('en-US')
