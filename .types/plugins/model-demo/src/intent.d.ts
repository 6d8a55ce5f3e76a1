/** What somebody wants done, or what a tool does. `act` is anything with an effect that has no common name. */
export type Intent = 'read' | 'write' | 'update' | 'delete' | 'act';
/** The verb with which a tool's name begins, or a verb of reading anywhere in it; without either, its effect is unknown. */
export declare function toolIntent(name: string): Intent;
export interface Wish {
    /** `undefined`: neither a question nor a known verb. */
    readonly intent: Intent | undefined;
    readonly counts: boolean;
    /** Asks for a meaning, a reason or a way: a text answers that better than a tool. */
    readonly explains: boolean;
    /** Stems of the words with which the clauses begin. */
    readonly verbs: readonly string[];
    /** Those of them that are known verbs: they name no subject. */
    readonly commands: readonly string[];
}
/**
 * Reads what a message wants from the beginnings of its clauses: only an imperative makes an effect,
 * so that "what is in the store?" never stores.
 */
export declare function wishOf(text: string): Wish;
