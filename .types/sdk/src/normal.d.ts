/** A text as texts are compared: one form of each letter, no case, nothing unseen, one space where there is space. */
export declare function normalText(text: string): string;
