import { hashOf, type Json, type StoreDefinition, type StoreWrite } from '@amodal/sdk'
import { textStart, isStorable } from '@amodal/sdk/data'

/** A document that was given up, and why. */
export interface Letter {
  readonly document: Json
  readonly error: string
}

const DAYS = 30

/**
 * The internal store of documents that could not be stored. No store of an agent can have its name.
 */
export function deadLettersOf(store: StoreDefinition): StoreDefinition {
  return {
    name: `${store.name}.dead`,
    file: store.file,
    raw: {},
    ttl: DAYS * 86_400,
    ...(store.shared === true && { shared: true }),
    entity: {
      name: 'DeadLetter',
      key: '{id}',
      schema: {
        id: { type: 'string' },
        error: { type: 'string' },
        at: { type: 'datetime' },
        document: { type: 'object', fields: {}, nullable: true },
      },
    },
  }
}

/** @param key of the call: a retried call writes the same letters */
export function lettersOf(letters: readonly Letter[], key: string): readonly StoreWrite[] {
  const at = new Date().toISOString()
  return letters.map(({ document, error }, index) => {
    const id = hashOf([key, index]).slice(0, 32)
    return {
      key: id,
      payload: {
        id,
        error: textStart(error, 2_000),
        at,
        document: isStorable(document) ? document : null,
      },
    }
  })
}
