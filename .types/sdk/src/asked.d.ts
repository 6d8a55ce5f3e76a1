interface AskedOption {
    readonly label: string;
    readonly value: string;
}
/** What somebody could choose from; `undefined`: they wrote what they liked. */
export type AskedChoices = readonly AskedOption[] | undefined;
/** What people could choose from in the questions of a call of `ask_user`, in their order. */
export declare function choicesOf(input: unknown): readonly AskedChoices[];
/** An answer to one question, and whether it is the person's own word. */
export interface AskedAnswer {
    readonly text: string;
    readonly isTheirs: boolean;
}
/** What stands in the outcome of such a call: a text, or JSON of `response`, or of `answers` by `q1`, `q2` and so on. */
export declare function answersIn(outcome: string, choices: readonly AskedChoices[]): readonly AskedAnswer[];
export {};
