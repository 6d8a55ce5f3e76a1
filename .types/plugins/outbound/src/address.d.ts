import { type Failure, type Result } from '@amodal/sdk';
/**
 * Whether a URL is one that may be called at all: asked before every request and again for every redirect. Where its
 * host leads is asked by whoever connects (`network.ts`).
 *
 * @param ports those allowed; any, where they are left out
 * @returns the parsed address, or `OUTBOUND_REFUSED`. The message never repeats credentials or a query.
 * @example
 * permitted('ftp://host/file') // OUTBOUND_REFUSED: only http and https …
 */
export declare function permitted(address: string | URL, ports?: readonly number[]): Result<URL, Failure>;
/** An address as errors may show it: a query or a fragment can hold a secret. */
export declare function nameOf(url: URL): string;
export declare function refused(message: string, details?: Readonly<Record<string, unknown>>): Result<never, Failure>;
