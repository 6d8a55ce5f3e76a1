import type { Heads } from './columns.ts';
import type { Span } from './finding.ts';
import { type Group } from './numbers.ts';
export declare const NAMES_SSN: RegExp;
/** Social security numbers: by their shape where dashes join it, by what the text says of them where not. */
export declare function ssnsIn(text: string, groups: readonly Group[], columns: Heads, named: () => boolean): readonly Span[];
