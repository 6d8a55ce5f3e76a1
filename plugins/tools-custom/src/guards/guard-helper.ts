import {
  err,
  failure,
  type Failure,
  type Json,
  ok,
  type Result,
  type RunContext,
  type StoreDefinition,
} from '@amodal/sdk'
import { isStorable, textStart } from '@amodal/sdk/data'
import type { StoreAccess } from '@amodal/plugin-stores/tokens'
import type { Helper } from '../process/handler-process.ts'
import type { HandlerNotice, HandlerRequest } from '../process/messages.ts'
import type { Guard } from './guard.ts'

const MOST_LOG = 10_000
/** Documents that one query of a guard returns. */
const MOST_DOCUMENTS = 1_000

/** Carries out what a guard may request: documents that its caller may read, and nothing else. */
export class GuardHelper implements Helper {
  readonly #guard: Guard
  readonly #ctx: RunContext
  readonly #stores: StoreAccess | undefined
  readonly #mask: (text: string) => string

  constructor(
    guard: Guard,
    ctx: RunContext,
    stores: StoreAccess | undefined,
    mask: (text: string) => string,
  ) {
    this.#guard = guard
    this.#ctx = ctx
    this.#stores = stores
    this.#mask = mask
  }

  async request(what: HandlerRequest): Promise<Result<Json, Failure>> {
    if (what.op !== 'document' && what.op !== 'documents')
      return err(failure('TOOL_DENIED', 'a guard reaches nothing but `ctx.store`'))
    const store = this.#storeOf(what.store)
    if (!store.ok) return store
    const { definition, access } = store.value
    const { tenant, signal } = this.#ctx
    const read = await access.open(definition, tenant, async (backend) => {
      if (what.op === 'document') {
        if (!isStorable(what.key)) return ok(null)
        const found = await backend.get(definition, what.key, signal)
        return found.ok ? ok(found.value?.payload ?? null) : found
      }
      const filters = Object.entries(what.equals ?? {}).map(
        ([field, value]) => ({ field, op: 'eq', value }) as const,
      )
      const query = { filters, limit: MOST_DOCUMENTS, offset: 0 }
      const found = await backend.query(definition, query, signal)
      if (!found.ok) return found
      // A guard that decides by a part of the documents would decide wrongly.
      return found.value.total > found.value.documents.length
        ? err(failure('TOO_LARGE', `more than ${MOST_DOCUMENTS} documents: narrow the query`))
        : ok(found.value.documents.map(({ payload }) => payload))
    })
    return read.ok ? read.value : read
  }

  notify(what: HandlerNotice): void {
    if (what.op === 'log')
      this.#ctx.log.info('guard_log', {
        guard: this.#guard.folder,
        message: this.#mask(textStart(what.message, MOST_LOG)),
      })
  }

  #storeOf(
    name: string,
  ): Result<{ readonly definition: StoreDefinition; readonly access: StoreAccess }, Failure> {
    if (!this.#guard.capabilities.includes('store:read'))
      return err(failure('TOOL_DENIED', 'reading stores needs the capability `store:read`'))
    const { tenant, principal, roles } = this.#ctx
    const readable = this.#stores?.readableBy({ tenant, principal, roles }) ?? []
    const definition = readable.find((one) => one.name === name)
    return definition && this.#stores
      ? ok({ definition, access: this.#stores })
      : err(failure('NOT_FOUND', `there is no store "${name}" that the caller may read`))
  }
}
