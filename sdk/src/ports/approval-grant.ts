import type {
  AskId,
  Compacted,
  InputAnswered,
  InputAsked,
  JournalEntry,
  Json,
  JsonObject,
  Note,
  PrincipalId,
} from '@amodal/kernel'
import { isObject } from '../json.ts'

/**
 * What a guard offers a person to grant: later calls of the same tool and endpoint, in this
 * conversation. A guard puts it into the context of its verdict as `grant`.
 */
export interface GrantOffer extends JsonObject {
  readonly tool: string
  /** A template, such as `POST /tickets/{id}/close`; `null` where the tool calls no endpoint. */
  readonly endpoint: string | null
  readonly connection: string | null
  /** Hash of what the tool and its connection are: after a change the grant counts no more. */
  readonly definition: string
  /** The conversation; a fork of it has another id. */
  readonly session: string
}

/** An approval that a person gave for the rest of a conversation. */
export interface ApprovalGrant {
  /** The question that was answered with it. */
  readonly id: AskId
  readonly offer: GrantOffer
  readonly by: PrincipalId
  /** ms since the epoch. */
  readonly at: number
}

/** Answers to approvals that offer a grant: `once` is the default. */
export const GRANT_SCOPES = ['once', 'conversation'] as const

/** The name under which {@link SessionChanges} revokes a grant. */
export const REVOKE_GRANT = 'approval-grants'

/**
 * The grants of a conversation, as its journal tells of them. Clearing the conversation ends them.
 *
 * @example
 * const ledger = new GrantLedger()
 * for (const entry of entries) ledger.apply(entry)
 * ledger.grants.map(({ offer }) => offer.endpoint) // ['POST /tickets/{id}/close']
 */
export class GrantLedger {
  #grants: readonly ApprovalGrant[] = []
  #offers: Map<AskId, GrantOffer> | undefined

  get grants(): readonly ApprovalGrant[] {
    return this.#grants
  }

  apply(entry: JournalEntry): void {
    switch (entry.kind) {
      case 'input_asked':
        return this.#question(entry)
      case 'input_answered':
        return this.#answered(entry)
      case 'compacted':
        return this.#compacted(entry)
      case 'note':
        return this.#noted(entry)
      case 'user_message':
      case 'model_reply':
      case 'tool_intent':
      case 'tool_outcome':
      case 'child_opened':
      case 'child_closed':
      case 'run_ended':
        return
    }
  }

  #question({ ask, ask_type: type, context }: InputAsked): void {
    const offer = type === 'approval' ? offerIn(context) : undefined
    if (offer) (this.#offers ??= new Map()).set(ask, offer)
  }

  #compacted({ cause }: Compacted): void {
    if (cause === 'clear') this.#grants = []
  }

  #noted({ data = null }: Note): void {
    const revoked = revokedGrantIn(data)
    if (revoked !== undefined) this.#grants = this.#grants.filter(({ id }) => id !== revoked)
  }

  #answered({ ask, answer, void: reason, principal, at }: InputAnswered): void {
    const offer = this.#offers?.get(ask)
    this.#offers?.delete(ask)
    if (!offer || reason !== undefined) return
    if (answer['approved'] === true && answer['scope'] === 'conversation')
      this.#grants = [...this.#grants, { id: ask, offer, by: principal, at }]
  }
}

/** The offer in the context of an approval, if a guard made one. */
export function offerIn({ grant }: JsonObject): GrantOffer | undefined {
  return isObject(grant) ? (grant as GrantOffer) : undefined // written by a guard
}

/** The grant that a note of {@link SessionChanges} says is revoked. */
export function revokedGrantIn(data: Json): string | undefined {
  if (!isObject(data) || data['plugin'] !== REVOKE_GRANT || !isObject(data['answer']))
    return undefined
  const { revoked } = data['answer']
  return typeof revoked === 'string' ? revoked : undefined
}
