import { isObject, type Json, type JsonObject, type TenantId, trySync } from '@amodal/sdk'
import type { CheckpointSet } from './checkpoint-set.ts'
import { digestOf, ERASURE, erasedKey, readErasure } from './erased.ts'
import { FINDINGS } from './findings.ts'
import { EMPTY, type Head, hashOfLine } from './line.ts'

const MOST_PROBLEMS = 20

/**
 * A line as the database or a file holds it. A file has no columns that could say something else.
 */
export interface WalkedLine {
  readonly n: number
  readonly body: string
  readonly hash: string
  readonly columns?: { readonly key: string; readonly session: string | undefined }
}

/** Goes along a chain, line by line, and holds it against the checkpoints. */
export class ChainWalk {
  readonly tenant: TenantId
  readonly problems: string[] = []
  readonly notes: string[] = []
  end: Head = EMPTY
  lines = 0
  readonly #emptied = new Map<number, string>()
  readonly #erasures: {
    readonly at: number
    readonly ns: readonly number[]
    readonly digest: string
  }[] = []

  constructor(tenant: TenantId) {
    this.tenant = tenant
  }

  say(problem: string): void {
    if (this.problems.length < MOST_PROBLEMS) this.problems.push(problem)
  }

  take({ n, body, hash, columns }: WalkedLine, { signed, signers }: CheckpointSet): void {
    const said = readBody(body)
    if (n <= this.end.n) this.say(`line ${n} is there twice, or not in its place`)
    else if (n !== this.end.n + 1)
      this.say(`line ${this.end.n + 1}${n > this.end.n + 2 ? ` to ${n - 1}` : ''} is missing`)
    if (body === '') this.#emptied.set(n, hash)
    else {
      if (n === this.end.n + 1 && hashOfLine(this.end.hash, body) !== hash)
        this.say(`line ${n} was changed, or what stood before it was`)
      if (said?.['n'] !== n || said['tenant'] !== this.tenant)
        this.say(`line ${n} does not say what its columns say`)
    }
    if (
      columns &&
      (body === ''
        ? columns.key !== erasedKey(n) || columns.session !== undefined
        : said?.['key'] !== columns.key || (said['session'] ?? undefined) !== columns.session)
    )
      this.say(`line ${n} does not say what its columns say`)
    const own = signed.get(this.tenant)
    for (const one of own?.get(n) ?? [])
      if (one.hash !== hash) this.say(`line ${n} is not the one that was signed on ${one.at}`)
    if (said)
      this.#hear(
        n,
        said,
        [...(own?.values() ?? [])].some((all) => all.some((one) => one.isChained && one.n < n)),
        signers,
      )
    this.end = { n, hash }
    this.lines++
  }

  /**
   * After the last line: each text that is gone was taken away by an erasure, and by no other
   * means.
   */
  finish(): void {
    const named = new Map<number, number>()
    for (const { at, ns, digest } of this.#erasures) {
      for (const n of ns) named.set(n, at)
      if (digestOf(ns.map((n) => ({ n, hash: this.#emptied.get(n) ?? '' }))) !== digest)
        this.say(`the lines that the erasure in line ${at} names are not those that were emptied`)
    }
    for (const n of this.#emptied.keys())
      if (!named.has(n)) this.say(`line ${n} has no text, and no erasure names it`)
  }

  /** What the server has found of its own log. */
  #hear(n: number, said: JsonObject, wasSigned: boolean, signers: ReadonlySet<string>): void {
    const { data } = said
    const at = shown(said['at'])
    const found = (name: string): string => shown(isObject(data) ? data[name] : undefined)
    switch (said['kind']) {
      case FINDINGS.uncovered:
        this.notes.push(
          `line ${n}: lines ${found('from')} to ${found('to')} had no checkpoint, since their process died; they were covered on ${at}`,
        )
        return
      case FINDINGS.shortened:
        this.say(
          `line ${n}: on ${at} the chain ended at line ${found('has')}, and it had been at ${found('had')}: lines were taken off`,
        )
        return
      case FINDINGS.checkpointsMissing:
        this.say(
          `line ${n}: on ${at} checkpoint ${found('had')} was missing, and the file ended at ${found('has')}: checkpoints were removed`,
        )
        return
      case FINDINGS.unknownSigner:
        if (!signers.has(found('signer')))
          this.say(
            `line ${n}: the line before it was sealed by a key that is not known: ${found('signer')}`,
          )
        return
      case FINDINGS.unsealed:
        if (wasSigned)
          this.say(`line ${n}: on ${at} the chain ended with a line that nobody had sealed`)
        else
          this.notes.push(
            `line ${n}: lines up to ${found('n')} are of a release that did not seal them`,
          )
        return
      case ERASURE: {
        const erasure = readErasure(data)
        if (erasure) this.#erasures.push({ at: n, ...erasure })
        else this.say(`line ${n} is an erasure that does not say of what`)
        return
      }
      default:
    }
  }
}

const shown = (value: Json | undefined): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value)

function readBody(body: string): JsonObject | undefined {
  const read = trySync(
    () => JSON.parse(body) as Json,
    () => undefined,
  ) // looked at with care: somebody may have changed it
  return read.ok && isObject(read.value) ? read.value : undefined
}
