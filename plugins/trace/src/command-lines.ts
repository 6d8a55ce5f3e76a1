interface Row {
  readonly run: { readonly number: number }
  readonly kind: string
  readonly title: string
  readonly status: string
  readonly at: string
  readonly ms: number | null
  readonly waiting_ms?: number | null
  readonly depth: number
  readonly model?: {
    readonly provider: string
    readonly model: string
    readonly tokens: { readonly input: number; readonly output: number }
    readonly cost: number | null
  }
}

interface Run {
  readonly number: number
  readonly status: string
  readonly tokens: { readonly input: number; readonly output: number }
  readonly cost: number | null
  readonly ms_working: number
  readonly ms_waiting: number
  readonly errors: number
}

/** An answer of `GET /sessions/:id/trace`. */
export interface Page {
  readonly rows: readonly Row[]
  readonly runs: readonly Run[]
  readonly next: number | null
}

const ERRORS: ReadonlySet<string> = new Set(['failed', 'refused', 'unknown'])

/** The rows of a page, and the sums of the runs that end with it. */
export function traceLines({ rows, runs, next }: Page, errorsOnly: boolean): readonly string[] {
  const shown = errorsOnly ? rows.filter(({ status }) => ERRORS.has(status)) : rows
  // A run that goes on in the next page has its sums there.
  const unfinished = next === null ? undefined : rows.at(-1)?.run.number
  return [...shown.map(rowLine), ...runs.filter(({ number }) => number !== unfinished).map(runLine)]
}

function rowLine({ at, kind, status, title, depth, ms, waiting_ms: waiting, model }: Row): string {
  const facts = [
    ms === null || ms === 0 ? '' : duration(ms),
    waiting === undefined || waiting === null ? '' : `waited ${duration(waiting)}`,
    model ? `${model.tokens.input}+${model.tokens.output} tokens` : '',
    model && model.cost !== null ? dollars(model.cost) : '',
    model ? `${model.provider}/${model.model}` : '',
  ].filter((fact) => fact !== '')
  const time = at.slice(11, 23)
  const about = facts.length === 0 ? '' : `  [${facts.join(', ')}]`
  return `${time}  ${status.padEnd(9)}  ${kind.padEnd(10)}  ${'  '.repeat(depth)}${title}${about}`
}

function runLine({ number, status, tokens, cost, errors, ...run }: Run): string {
  const facts = [
    status,
    `${duration(run.ms_working)} at work`,
    ...(run.ms_waiting > 0 ? [`${duration(run.ms_waiting)} waiting`] : []),
    `${tokens.input}+${tokens.output} tokens`,
    ...(cost === null ? [] : [dollars(cost)]),
    `${errors} errors`,
  ]
  return `Run ${number}: ${facts.join(', ')}`
}

const dollars = (cost: number): string => `$${cost.toFixed(cost < 0.01 ? 6 : 4)}`

function duration(ms: number): string {
  if (ms < 1_000) return `${ms} ms`
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`
}
