import type { SessionStore } from '@amodal/kernel';
export declare function laneTests(store: () => SessionStore, peer: () => SessionStore): void;
