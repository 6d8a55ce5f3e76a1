/** A value of the text format of Prometheus. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}
export interface Family {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly samples: readonly Sample[]
}

const HELP = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/
const TYPE = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)$/
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|$)/y
const SUFFIXES = ['_bucket', '_sum', '_count']

/**
 * Parses the text format and throws at the first thing that a Prometheus server would refuse.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function parsePrometheus(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  const families = new Map<string, Family & { samples: Sample[] }>()
  const series = new Set<string>()
  let help: RegExpExecArray | null = null
  let current: (Family & { samples: Sample[] }) | undefined
  for (const line of text.slice(0, -1).split('\n')) {
    const type = TYPE.exec(line)
    if (line.startsWith('# HELP ')) {
      help = HELP.exec(line)
      if (!help) throw new Error(`bad HELP: ${line}`)
    } else if (type) {
      const [, name = '', kind] = type
      if (families.has(name)) throw new Error(`${name} comes twice`)
      if (help?.[1] !== name) throw new Error(`${name} has no HELP before it`)
      if (kind !== 'counter' && kind !== 'gauge' && kind !== 'histogram')
        throw new Error(`bad TYPE: ${line}`)
      current = { name, type: kind, help: help[2] ?? '', samples: [] }
      families.set(name, current)
    } else {
      const sample = sampleOf(line)
      if (!current || !belongs(sample.name, current)) throw new Error(`no TYPE before: ${line}`)
      const key = `${sample.name}${JSON.stringify(Object.entries(sample.labels).toSorted())}`
      if (series.has(key)) throw new Error(`a series comes twice: ${line}`)
      series.add(key)
      current.samples.push(sample)
    }
  }
  for (const family of families.values()) if (family.type === 'histogram') checkBuckets(family)
  return families
}

const belongs = (name: string, { name: family, type }: Family): boolean =>
  type === 'histogram' ? SUFFIXES.some((suffix) => name === family + suffix) : name === family

function sampleOf(line: string): Sample {
  const [, name, inner = '', number] = SAMPLE.exec(line) ?? []
  if (name === undefined || number === undefined) throw new Error(`bad line: ${line}`)
  const value = number === '+Inf' ? Infinity : Number(number)
  if (Number.isNaN(value)) throw new Error(`bad value: ${line}`)
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < inner.length) {
    const [, label = '', content = ''] = LABEL.exec(inner) ?? []
    if (label === '' || label in labels) throw new Error(`bad labels: ${line}`)
    labels[label] = content.replaceAll(/\\([\\"n])/g, (_, char: string) =>
      char === 'n' ? '\n' : char,
    )
  }
  return { name, labels, value }
}

/** Buckets are cumulative, and the last one has all values. */
function checkBuckets({ name, samples }: Family): void {
  const groups = Map.groupBy(samples, ({ labels: { le: _, ...others } }) => JSON.stringify(others))
  for (const group of groups.values()) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`)
    const count = group.find((sample) => sample.name === `${name}_count`)
    const bounds = buckets.map(({ labels: { le = '' } }) => (le === '+Inf' ? Infinity : Number(le)))
    const rises = (numbers: readonly number[]): boolean =>
      numbers.every((number, at) => at === 0 || number >= (numbers[at - 1] ?? 0))
    if (!rises(bounds) || !rises(buckets.map(({ value }) => value)))
      throw new Error(`${name}: buckets are not cumulative`)
    if (bounds.at(-1) !== Infinity || buckets.at(-1)?.value !== count?.value)
      throw new Error(`${name}: the last bucket is not the count`)
  }
}
