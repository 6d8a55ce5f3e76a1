import { type RunContext } from '@amodal/sdk';
import { Effort } from './effort.ts';
import type { PatternFinding, Span } from './finding.ts';
import type { LinkPolicy } from './loading/tag-rules.ts';
import { KnownValues } from './leaks.ts';
import type { Action, Settings } from './settings.ts';
export type Stage = 'fields' | 'patterns' | 'leaks' | 'links';
/** What stands in a text and may not leave, what is done about it, and what stands there instead. */
export interface Finding extends Span {
    readonly stage: Stage;
    readonly what: string;
    readonly action: Action;
    readonly instead: string;
}
/** Who is to read a text. Links are judged where it is known which hosts were named. */
export type Reader = Pick<RunContext, 'withheld' | 'roles'> & Partial<Pick<RunContext, 'bundle' | 'messages' | 'delegated'>>;
/** A text that takes too much work to look at leaves no more than one that holds what may not leave. */
export declare const TOO_MUCH: {
    readonly stage: 'leaks';
    readonly what: 'too much work to look at';
    readonly action: 'block';
    readonly instead: "[REDACTED]";
};
/** Judges texts by the rules of one configuration. */
export declare class Review {
    #private;
    readonly settings: Settings;
    constructor(settings: Settings);
    /** Everything that may not leave, in order, nothing over another. */
    findings(text: string, reader: Reader, effort?: Effort): readonly Finding[];
    known({ withheld }: Pick<Reader, 'withheld'>): KnownValues;
    /** Withheld values: what was given to be used is redacted; what was taken out, or is in disguise, is a leak. */
    values(text: string, reader: Reader, effort?: Effort): readonly Finding[];
    patterns(text: string, reader: Reader): readonly Finding[];
    /**
     * What the configuration says of numbers that were found.
     *
     * @param textOf what stands at a place
     */
    numbers(found: readonly PatternFinding[], reader: Reader, textOf: (place: Span) => string): readonly Finding[];
    /** Where a text may lead its reader's client; nothing where links are kept as they are. */
    linkPolicy({ bundle, messages }: Pick<Reader, 'bundle' | 'messages'>): LinkPolicy | undefined;
    links(text: string, reader: Reader): readonly Finding[];
}
/** What lies over each other becomes one, with the stricter of both; a link that holds something else is not described. */
export declare function inOrder(found: readonly Finding[]): readonly Finding[];
