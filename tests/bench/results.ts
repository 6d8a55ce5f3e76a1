/**
 * What a benchmark found, held against the goals and the committed baseline, and kept as a file.
 */

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'

import { isPinned } from './machine.ts'

/** One figure, measured several times. Lower is better in all of them. */
export interface Measurement {
  /** The id of a goal, or a name of its own for a figure that has none. */
  readonly id: string
  readonly values: readonly number[]
}

export interface Goal {
  readonly id: string
  readonly title: string
  readonly unit: string
  /** What must hold. */
  readonly gate: number
  /** What is aimed at. */
  readonly target: number
  readonly bench: string
}

/**
 * By id, the figures that a run on a quiet machine gave: ratios and sizes, which travel between
 * machines.
 */
export type Baseline = Readonly<Record<string, { readonly best: number; readonly median: number }>>

export interface Results {
  readonly bench: string
  readonly at: string
  readonly node: string
  readonly cores: number
  readonly pinned: boolean
  readonly measurements: readonly Measurement[]
  /** Whatever the figures were made of. */
  readonly details: unknown
}

/**
 * How a figure stands to its goal: the median of its repetitions counts. `near`: past the gate, by
 * less than is allowed for noise.
 */
export type Standing = 'target' | 'gate' | 'near' | 'missed' | 'no goal' | 'no figure'

/**
 * How far past its gate a figure of a short run may be: its windows are short, and shared machines
 * are noisy.
 */
export const SHORT_TOLERANCE = 1.25

const here = (name: string): URL => new URL(name, import.meta.url)

export async function readGoals(): Promise<readonly Goal[]> {
  return JSON.parse(await readFile(here('goals.json'), 'utf8')) as readonly Goal[]
}

export async function readBaseline(): Promise<Baseline> {
  return JSON.parse(await readFile(here('BASELINE.json'), 'utf8')) as Baseline
}

export async function writeBaseline(measurements: readonly Measurement[]): Promise<void> {
  const entries = measurements.map(({ id, values }) => [
    id,
    { best: round(best(values)), median: round(median(values)) },
  ])
  await writeFile(
    here('BASELINE.json'),
    `${JSON.stringify({ ...(await readBaseline()), ...Object.fromEntries(entries) }, undefined, 2)}\n`,
  )
}

/** Writes the newest results of a benchmark, over its previous ones. */
export async function keepResults(
  bench: string,
  measurements: readonly Measurement[],
  details: unknown,
): Promise<void> {
  const results: Results = {
    bench,
    at: new Date().toISOString(),
    node: process.version,
    cores: availableParallelism(),
    pinned: isPinned,
    measurements,
    details,
  }
  await mkdir(here('results/'), { recursive: true })
  await writeFile(here(`results/${bench}.json`), `${JSON.stringify(results, undefined, 2)}\n`)
}

/** The newest results of all benchmarks that have run here. */
export async function readResults(): Promise<readonly Results[]> {
  const names = await readdir(here('results/')).catch(() => [])
  const files = names.filter((name) => name.endsWith('.json'))
  return Promise.all(
    files.map(
      async (name) => JSON.parse(await readFile(here(`results/${name}`), 'utf8')) as Results,
    ),
  )
}

export function best(values: readonly number[]): number {
  return values.length === 0 ? NaN : Math.min(...values)
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? NaN
}

/** @param tolerance a figure counts as missed from so many times its gate on */
export function standing({ values }: Measurement, goal: Goal | undefined, tolerance = 1): Standing {
  if (goal === undefined) return 'no goal'
  const figure = median(values)
  if (Number.isNaN(figure)) return 'no figure'
  if (figure <= goal.target) return 'target'
  if (figure <= goal.gate) return 'gate'
  return figure <= goal.gate * tolerance ? 'near' : 'missed'
}

/** The figures as a table for people, one line each. */
export function table(
  measurements: readonly Measurement[],
  goals: readonly Goal[],
  baseline: Baseline,
  tolerance?: number,
): string {
  const head = ['figure', 'best', 'median', 'unit', 'gate', 'target', 'baseline', 'stands at']
  const lines = measurements.map((measurement) => {
    const goal = goals.find(({ id }) => id === measurement.id)
    return [
      goal?.title ?? measurement.id,
      figure(best(measurement.values)),
      figure(median(measurement.values)),
      goal?.unit ?? '',
      figure(goal?.gate),
      figure(goal?.target),
      figure(baseline[measurement.id]?.median),
      standing(measurement, goal, tolerance),
    ]
  })
  return aligned([head, ...lines])
}

/** Lines of cells as a text, the columns under each other. */
export function aligned(lines: readonly (readonly string[])[]): string {
  const [head = []] = lines
  const widths = head.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** The measurements that miss their gate, or brought no figure at all. */
export function missed(
  measurements: readonly Measurement[],
  goals: readonly Goal[],
  tolerance?: number,
): readonly Measurement[] {
  return measurements.filter((measurement) => {
    const at = standing(
      measurement,
      goals.find(({ id }) => id === measurement.id),
      tolerance,
    )
    return at === 'missed' || at === 'no figure'
  })
}

/** Runs one benchmark by itself, prints what it found, and ends with 1 where a gate is missed. */
export async function report(measure: () => Promise<readonly Measurement[]>): Promise<void> {
  const [measurements, goals, baseline] = [await measure(), await readGoals(), await readBaseline()]
  console.log(table(measurements, goals, baseline))
  if (missed(measurements, goals).length > 0) process.exitCode = 1
}

function figure(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? '–' : String(round(value))
}

function round(value: number): number {
  return Number(value.toPrecision(3))
}
