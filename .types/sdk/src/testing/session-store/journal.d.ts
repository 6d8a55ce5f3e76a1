import type { SessionStore } from '@amodal/kernel';
export declare function journalTests(store: () => SessionStore): void;
