import { err, type Failure, isObject, type Json, type JsonObject, ok, type Result, type TenantId, trySync } from '@amodal/sdk'
import type { Checkpoint } from './checkpoints.ts'
import { EMPTY, type Head, hashOfLine } from './line.ts'
import type { ChainStore } from './store.ts'

/** What a check of one chain came to. `problems` name the line at fault; the first one is where trust ends. */
export interface Verdict { readonly tenant: TenantId; readonly lines: number; readonly problems: readonly string[] }

const PAGE = 1_000
const MOST_PROBLEMS = 20

/** Walks a chain from its first line, and holds it against the head and the signed checkpoints. */
export async function verifyChain(store: ChainStore, tenant: TenantId, checkpoints: readonly Checkpoint[], signal: AbortSignal): Promise<Result<Verdict, Failure>> {
  const problems: string[] = []
  const say = (problem: string): void => { if (problems.length < MOST_PROBLEMS) problems.push(problem) }
  const signed = Map.groupBy(checkpoints.filter((one) => one.tenant === tenant), ({ n }) => n)
  let end: Head = EMPTY
  let lines = 0
  for (;;) {
    const page = await store.read(tenant, { after: end.n, limit: PAGE }, signal)
    if (!page.ok) return err(page.error)
    for (const { n, key, session, body, hash } of page.value) {
      if (n !== end.n + 1) say(`line ${end.n + 1}${n > end.n + 2 ? ` to ${n - 1}` : ''} is missing`)
      else if (hashOfLine(end.hash, body) !== hash) say(`line ${n} was changed, or what stood before it was`)
      const said = readBody(body)
      if (said?.['n'] !== n || said['tenant'] !== tenant || said['key'] !== key || (said['session'] ?? undefined) !== session) say(`line ${n} does not say what its columns say`)
      for (const one of signed.get(n) ?? []) if (one.hash !== hash) say(`line ${n} is not the one that was signed on ${one.at}`)
      end = { n, hash }
      lines++
    }
    if (page.value.length < PAGE) break
  }
  const head = await store.head(tenant, signal)
  if (!head.ok) return err(head.error)
  if (head.value.n !== end.n || head.value.hash !== end.hash) say(`the chain ends at line ${end.n}, and its head is line ${head.value.n}: lines are missing at the end, or the head was changed`)
  const last = Math.max(0, ...signed.keys())
  if (last > end.n) say(`line ${last} was signed, and the chain ends at line ${end.n}: it was cut`)
  return ok({ tenant, lines, problems })
}

function readBody(body: string): JsonObject | undefined {
  const read = trySync(() => JSON.parse(body) as Json, () => undefined) // looked at with care: somebody may have changed it
  return read.ok && isObject(read.value) ? read.value : undefined
}
