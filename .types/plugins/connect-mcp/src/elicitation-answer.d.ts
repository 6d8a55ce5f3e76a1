import { type JsonObject } from '@amodal/sdk';
import { type Elicitation, type ElicitationAnswer } from './elicitation.ts';
/** What people have answered to earlier questions of a call: the newest counts. */
export type Given = readonly {
    readonly context: JsonObject;
    readonly answer: JsonObject;
}[];
/** The answer to this very question, as it may be sent, or what is wrong with it. */
export declare function answerIn(given: Given, { key, fields }: Elicitation): {
    readonly answer?: ElicitationAnswer;
    readonly problems: readonly string[];
};
