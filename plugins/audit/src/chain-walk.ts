import { isObject, type Json, type JsonObject, type TenantId, trySync } from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { ACKNOWLEDGEMENT, type Acknowledgement, readAcknowledgement } from './acknowledgement.ts'
import type { CheckpointSet, Signed } from './checkpoint-set.ts'
import { digestOf, type Erasure, ERASURE, erasedKey, readErasure } from './erased.ts'
import { type Finding, placeOf } from './finding.ts'
import { FINDINGS } from './findings.ts'
import { EMPTY, type Head, hashOfLine } from './line.ts'
import type { Walked } from './verdict.ts'

/** Findings that are listed. Further ones are counted, and still fail the check. */
const MOST_FINDINGS = 10_000

/**
 * A line as the database or a file stores it. Only the database has columns, which may contradict
 * the text.
 */
export interface WalkedLine {
  readonly n: number
  readonly body: string
  readonly hash: string
  readonly columns?: { readonly key: string; readonly session: string | undefined }
}

/** A line, and the one before it, for the id of a finding. */
type Facts = JsonObject & { readonly n: number }

type SignedLines = ReadonlyMap<number, readonly Signed[]>

/** Walks a chain line by line and compares it with the checkpoints. */
export class ChainWalk implements Walked {
  readonly tenant: TenantId
  readonly findings: Finding[] = []
  readonly acknowledgements: Acknowledgement[] = []
  readonly notes: string[] = []
  end: Head = EMPTY
  lines = 0
  unlisted = 0
  readonly #emptied = new Map<number, { readonly hash: string; readonly facts: Facts }>()
  readonly #erasures: (Erasure & { readonly facts: Facts })[] = []

  constructor(tenant: TenantId) {
    this.tenant = tenant
  }

  /** A problem with the end of the chain, which the next line changes. */
  say(text: string): void {
    this.#add({ text, place: undefined })
  }

  take(line: WalkedLine, { signed, signers }: CheckpointSet): void {
    const { n, body, hash } = line
    const facts: Facts = { n, after: this.end.n, previous: this.end.hash, hash, body }
    const content = readBody(body)
    this.#checkPlace(facts)
    if (body === '') this.#emptied.set(n, { hash, facts })
    else this.#checkText(line, content, facts)
    this.#checkColumns(line, content, facts)
    const own = signed.get(this.tenant)
    for (const one of own?.get(n) ?? [])
      if (one.hash !== hash)
        this.#find(`line ${n} is not the one that was signed on ${one.at}`, 'signed', {
          ...facts,
          signed: one.hash,
          at: one.at,
        })
    if (content) this.#checkStatement(content, facts, { own, signers })
    this.end = { n, hash }
    this.lines++
  }

  /**
   * Call after the last line: checks that every missing text was removed by an erasure.
   */
  finish(): void {
    const named = new Set<number>()
    for (const { facts, ns, digest, isSigned } of this.#erasures) {
      for (const n of ns) named.add(n)
      const found = digestOf(ns.map((n) => ({ n, hash: this.#emptied.get(n)?.hash ?? '' })))
      if (found !== digest)
        this.#find(
          `the lines that the erasure in line ${facts.n} names are not those that were emptied`,
          'erased',
          { ...facts, found },
        )
      else if (!isSigned)
        this.#find(
          `line ${facts.n} is an erasure that no key that is known has signed`,
          'unsigned erasure',
          { ...facts, found },
        )
    }
    for (const [n, { facts }] of this.#emptied)
      if (!named.has(n))
        this.#find(`line ${n} has no text, and no erasure names it`, 'emptied', facts)
  }

  #add(finding: Finding): void {
    if (this.findings.length < MOST_FINDINGS) this.findings.push(finding)
    else this.unlisted++
  }

  #find(text: string, rule: string, facts: Facts): void {
    this.#add({ text, place: placeOf(this.tenant, rule, facts) })
  }

  #checkPlace(facts: Facts): void {
    const { n } = facts
    const next = this.end.n + 1
    if (n < next) this.#find(`line ${n} is there twice, or not in its place`, 'out of place', facts)
    else if (n > next)
      this.#find(`line ${next}${n > next + 1 ? ` to ${n - 1}` : ''} is missing`, 'missing', facts)
  }

  #checkText({ n, body, hash }: WalkedLine, content: JsonObject | undefined, facts: Facts): void {
    if (n === this.end.n + 1 && hashOfLine(this.end.hash, body) !== hash)
      this.#find(`line ${n} was changed, or what stood before it was`, 'changed', facts)
    if (content?.['n'] !== n || content['tenant'] !== this.tenant)
      this.#find(`line ${n} does not say what its columns say`, 'text', facts)
  }

  #checkColumns({ n, body, columns }: WalkedLine, content: JsonObject | undefined, facts: Facts) {
    if (!columns) return
    const { key, session } = columns
    const isSame =
      body === ''
        ? key === erasedKey(n) && session === undefined
        : content?.['key'] === key && (content['session'] ?? undefined) === session
    if (!isSame)
      this.#find(`line ${n} does not say what its columns say`, 'columns', {
        ...facts,
        key,
        session: session ?? null,
      })
  }

  /** Reads what the server recorded about its own log, and the acknowledgements of operators. */
  #checkStatement(
    content: JsonObject,
    facts: Facts,
    {
      own,
      signers,
    }: { readonly own: SignedLines | undefined; readonly signers: ReadonlySet<string> },
  ): void {
    const { n } = facts
    const { kind } = content
    if (kind === ERASURE) {
      const erasure = readErasure(this.tenant, content, signers)
      if (erasure) this.#erasures.push({ ...erasure, facts })
      else this.#find(`line ${n} is an erasure that does not say of what`, 'erasure', facts)
    } else if (kind === ACKNOWLEDGEMENT) {
      const read = readAcknowledgement(this.tenant, n, content, signers)
      if (read) this.acknowledgements.push(read)
      else
        this.#find(
          `line ${n} acknowledges a finding, and no key that is known has signed it: it counts for nothing`,
          'acknowledgement',
          facts,
        )
    } else this.#checkServerFinding(content, facts, own, signers)
  }

  #checkServerFinding(
    { kind, at, data }: JsonObject,
    facts: Facts,
    own: SignedLines | undefined,
    signers: ReadonlySet<string>,
  ): void {
    const { n } = facts
    const found = (name: string): string => shown(isObject(data) ? data[name] : undefined)
    const on = shown(at)
    switch (kind) {
      case FINDINGS.uncovered:
        this.notes.push(
          `line ${n}: lines ${found('from')} to ${found('to')} had no checkpoint, since their process died; they were covered on ${on}`,
        )
        return
      case FINDINGS.shortened:
        this.#find(
          `line ${n}: on ${on} the chain ended at line ${found('has')}, and it had been at ${found('had')}: lines were taken off`,
          'shortened',
          facts,
        )
        return
      case FINDINGS.checkpointsMissing:
        this.#find(
          `line ${n}: on ${on} checkpoint ${found('had')} was missing, and the file ended at ${found('has')}: checkpoints were removed`,
          'checkpoints missing',
          facts,
        )
        return
      case FINDINGS.unknownSigner:
        if (!signers.has(found('signer')))
          this.#find(
            `line ${n}: the line before it was sealed by a key that is not known: ${found('signer')}`,
            'unknown signer',
            facts,
          )
        return
      case FINDINGS.unsealed:
        // Releases that sealed the first heads did not say whether it was an upgrade.
        if (wasSigned(own, n) || (isObject(data) && data['upgrade'] === false))
          this.#find(
            `line ${n}: on ${on} the chain ended with a line that nobody had sealed`,
            'unsealed',
            facts,
          )
        else
          this.notes.push(
            `line ${n}: lines up to ${found('n')} are of a release that did not seal them`,
          )
        return
      default:
    }
  }
}

/** Whether a release that seals heads has signed a line of the chain before this one. */
const wasSigned = (own: SignedLines | undefined, before: number): boolean =>
  [...(own ?? [])].some(([n, all]) => n < before && all.some(({ isChained }) => isChained))

const shown = (value: Json | undefined): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value)

/** What a line says; `undefined` where its text is missing or damaged. */
export function readBody(body: string): JsonObject | undefined {
  const read = trySync(
    () => parseExact(body) as Json,
    () => undefined,
  ) // validated by the caller: the text may have been tampered with
  return read.ok && isObject(read.value) ? read.value : undefined
}
