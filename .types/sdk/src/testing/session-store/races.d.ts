import type { SessionStore } from '@amodal/kernel';
export declare function raceTests(store: () => SessionStore, peer: () => SessionStore): void;
