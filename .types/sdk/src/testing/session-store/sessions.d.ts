import { type SessionStore } from '@amodal/kernel';
export declare function sessionTests(store: () => SessionStore): void;
