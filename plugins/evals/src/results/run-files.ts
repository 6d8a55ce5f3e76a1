import { appendFile, mkdir, readdir, readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject, trySync, type Json } from '@amodal/sdk'
import type { EvalRun, RunError, RunHeader, RunStatus, RunStore, TrialResult } from './result.ts'
import { runOf } from './run-of.ts'

const JUDGEMENTS = 'judgements.jsonl'
const RUN_FILE = /^run-[\w-]+\.jsonl$/

type Line =
  | { readonly kind: 'run'; readonly run: RunHeader }
  | { readonly kind: 'result'; readonly result: TrialResult }
  | { readonly kind: 'end'; readonly status: RunStatus; readonly error?: RunError }

/**
 * Runs as files of JSON lines, one for each run: the header, a line for each result in the moment
 * it is there, and the end. What a process that died has begun to write is cut off by the next.
 */
export class RunFiles implements RunStore {
  readonly #folder: string
  /** Writes go one after the other, so that lines never mix. */
  #writes: Promise<void> = Promise.resolve()
  #judgements: Promise<Map<string, string>> | undefined
  readonly #checked = new Set<string>()

  /** @param folder such as `.amodal/evals` of the agent folder */
  constructor(folder: string) {
    this.#folder = folder
  }

  begin(header: RunHeader): Promise<void> {
    return this.#append(`${header.id}.jsonl`, { kind: 'run', run: header })
  }

  add(run: string, result: TrialResult): Promise<void> {
    return this.#append(`${run}.jsonl`, { kind: 'result', result })
  }

  end(run: string, status: RunStatus, error?: RunError): Promise<void> {
    return this.#append(`${run}.jsonl`, { kind: 'end', status, ...(error && { error }) })
  }

  async reopen(header: RunHeader): Promise<void> {
    await this.begin(header)
    await this.end(header.id, 'open')
  }

  async find(run: string): Promise<EvalRun | undefined> {
    if (!RUN_FILE.test(`${run}.jsonl`)) return undefined
    return runIn(await this.#lines<Line>(`${run}.jsonl`))
  }

  async statusOf(run: string): Promise<RunStatus | undefined> {
    return (await this.find(run))?.status
  }

  async list(limit: number): Promise<readonly EvalRun[]> {
    const names = await readdir(this.#folder).catch(() => [])
    // Their names begin with the time that they began.
    const newest = names
      .filter((name) => RUN_FILE.test(name))
      .sort()
      .reverse()
      .slice(0, limit)
    const runs = await Promise.all(newest.map(async (name) => runIn(await this.#lines(name))))
    return runs.filter((run) => run !== undefined)
  }

  async judgement(key: string): Promise<string | undefined> {
    return (await this.#known()).get(key)
  }

  async addJudgement(key: string, reply: string): Promise<void> {
    const known = await this.#known()
    if (known.has(key)) return
    known.set(key, reply)
    await this.#append(JUDGEMENTS, { key, reply })
  }

  #known(): Promise<Map<string, string>> {
    this.#judgements ??= this.#lines<{ readonly key: string; readonly reply: string }>(
      JUDGEMENTS,
    ).then((lines) => new Map(lines.map(({ key, reply }) => [key, reply])))
    return this.#judgements
  }

  #append(name: string, line: object): Promise<void> {
    const write = this.#writes.then(async () => {
      await mkdir(this.#folder, { recursive: true })
      const file = join(this.#folder, name)
      if (!this.#checked.has(name)) await cutTornLine(file)
      this.#checked.add(name)
      await appendFile(file, `${JSON.stringify(line)}\n`, { flush: true })
    })
    this.#writes = write.catch(() => undefined)
    return write
  }

  async #lines<T>(name: string): Promise<readonly T[]> {
    const text = await readFile(join(this.#folder, name), 'utf8').catch(() => '')
    const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n')
    return lines.flatMap((line) => {
      const read = trySync(
        () => JSON.parse(line) as Json,
        () => undefined,
      )
      // Written by this class alone.
      return read.ok && isObject(read.value) ? [read.value as unknown as T] : []
    })
  }
}

/** A process that was killed may leave part of a line behind. */
async function cutTornLine(file: string): Promise<void> {
  const bytes = await readFile(file).catch(() => undefined)
  if (bytes && bytes.length > 0) await truncate(file, bytes.lastIndexOf(10) + 1)
}

function runIn(lines: readonly Line[]): EvalRun | undefined {
  const header = lines.findLast((line) => line.kind === 'run')?.run
  if (!header) return undefined
  const results = lines.flatMap((line) => (line.kind === 'result' ? [line.result] : []))
  return runOf(
    header,
    results,
    lines.findLast((line) => line.kind === 'end'),
  )
}
