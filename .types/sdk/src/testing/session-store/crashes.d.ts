import { type SessionStore } from '@amodal/kernel';
/** What is remembered of owners that are lost, and whom it strikes. */
export declare function crashTests(store: () => SessionStore, peer: () => SessionStore): void;
