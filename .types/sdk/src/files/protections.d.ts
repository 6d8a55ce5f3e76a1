import type { Issues, Place } from './issues.ts';
import { type JsonFile, type Path } from './json-file.ts';
/** What to do instead of taking it away. */
export declare const EXPRESS_PROTECTION = "say it where it is kept: what may be called in access.json of the connection, who may use what in roles/, anything else in a plugin that taps `tool.guard`";
/** A name that nothing reads: what to say of it, and whether it may be overlooked. */
export interface UnreadName {
    readonly severity: 'error' | 'warning'; /** The known name that was probably meant. */
    readonly meant?: string;
    readonly fix?: string;
}
/**
 * Judges a name that nothing reads. A protection is an error, and is never to be renamed to something that protects nothing.
 *
 * @param known the names that are read
 */
export declare function unreadName(name: string, known: readonly string[]): UnreadName;
/** Tells of a name that nothing reads. `what` begins the sentence; `otherwise` is what to do with a harmless one. */
export declare function tellUnread(what: string, { severity, meant, fix }: UnreadName, place: Place, otherwise: string, issues: Issues): void;
/**
 * Refuses names that are not known where nothing but protections stands: each would be one that is missing. Remarks are only told.
 *
 * @param known the names that are read
 */
export declare function refuseUnknown(json: JsonFile, at: Path, known: readonly string[], issues: Issues): void;
