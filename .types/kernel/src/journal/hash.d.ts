import type { Json } from '../json.ts';
/** JSON with sorted keys and no spaces: equal values give equal text (RFC 8785 for the values we keep). */
export declare function canonical(value: Json): string;
export declare const sha256: (text: string) => string;
export declare const hashOf: (value: Json) => string;
/** Values without NUL and lone surrogates, which a database refuses or mangles. Most have none and are returned as they are. */
export declare function clean<T>(value: T): T;
