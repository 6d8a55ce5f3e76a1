import { type SessionStore } from '@amodal/kernel';
export declare function expiryTests(store: () => SessionStore): void;
