import type { SessionStoreUnderTest } from './session-store/subject.ts';
export type { SessionStoreUnderTest } from './session-store/subject.ts';
/**
 * The behaviour that every provider of the SessionStore slot shows: one owner at a time, nothing accepted is lost,
 * nothing is written twice, and a session is its tenant's alone.
 *
 * @param make called once; `peer` reaches the same sessions as another instance does, and has to hear of changes
 * @example
 * sessionStoreContract('sessions-memory', {
 *   make: async () => {
 *     const store = createMemorySessions({ maxSessions: 10_000 })
 *     return { store, peer: store, close: async () => undefined }
 *   },
 * })
 */
export declare function sessionStoreContract(name: string, { make }: {
    readonly make: () => Promise<SessionStoreUnderTest>;
}): void;
