import type { ModelProtocol } from './protocol.ts';
/** The protocol that a path belongs to. */
export declare function protocolOf(url: string): ModelProtocol | undefined;
