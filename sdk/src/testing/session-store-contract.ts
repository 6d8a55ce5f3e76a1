import type { SessionStore } from '../ports/session-store.ts'
import { afterAll, beforeAll, describe } from 'vitest'
import { crashTests } from './session-store/crashes.ts'
import { expiryTests } from './session-store/expiry.ts'
import { journalTests } from './session-store/journal.ts'
import { leaseTests } from './session-store/leases.ts'
import { sharedTests } from './session-store/shared.ts'
import { raceTests } from './session-store/races.ts'
import { listTests } from './session-store/lists.ts'
import { sessionTests } from './session-store/sessions.ts'
import type { SessionStoreUnderTest } from './session-store/subject.ts'

export type { SessionStoreUnderTest } from './session-store/subject.ts'

/**
 * The behaviour of every provider of the SessionStore slot: one owner at a time, no accepted item
 * is lost, nothing is written twice, and a session is accessible to its tenant only.
 *
 * @param make called once; `peer` accesses the same sessions as another instance, and must be
 *   notified of changes
 * @example
 * sessionStoreContract('sessions-memory', {
 *   make: async () => {
 *     const store = createMemorySessions({ maxSessions: 10_000 })
 *     return { store, peer: store, close: async () => undefined }
 *   },
 * })
 */
export function sessionStoreContract(
  name: string,
  { make }: { readonly make: () => Promise<SessionStoreUnderTest> },
): void {
  describe(`${name} is a SessionStore`, () => {
    let subject: SessionStoreUnderTest | undefined
    const under = (): SessionStoreUnderTest => {
      if (!subject) throw new Error('the store was not made')
      return subject
    }
    const store = (): SessionStore => under().store
    const peer = (): SessionStore => under().peer

    beforeAll(async () => {
      subject = await make()
    })
    afterAll(() => subject?.close())

    describe('the journal', () => journalTests(store))
    describe('sessions and inboxes', () => leaseTests(store, peer))
    describe('lists of sessions', () => listTests(store))
    describe('sessions and forks', () => sessionTests(store))
    describe('races, retries and those who leave', () => raceTests(store, peer))
    describe('values that sessions share', () => sharedTests(store, peer))
    describe('expiry', () => expiryTests(store))
    describe('owners that are lost', () => crashTests(store, peer))
  })
}
