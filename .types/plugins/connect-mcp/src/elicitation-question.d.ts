import type { QuestionDraft } from '@amodal/sdk';
import { type Elicitation } from './elicitation.ts';
/** The question as a person gets it. The call goes on with the answer, which finds its way by the key. */
export declare function questionOf(elicitation: Elicitation, { server, tool, problems, expiresInMs }: {
    readonly server: string;
    readonly tool: string;
    /** What an earlier answer lacked. */
    readonly problems: readonly string[];
    /** ms; 0: never. */
    readonly expiresInMs: number;
}): QuestionDraft;
