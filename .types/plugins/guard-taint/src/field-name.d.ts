/** What a field is for, by its name: `chooses` who gets what, `says` something, or nobody knows. */
export type Purpose = 'chooses' | 'says' | 'open';
/** `recipientEmails` → `recipient`, `email`. */
export declare function partsOf(name: string): readonly string[];
/** The last part of a name says most: `email_subject` is a subject, `message_id` an id. */
export declare function purposeOf(name: string): Purpose;
export declare const isCount: (name: string) => boolean;
/** What is run: a part of it in the right place makes nothing of it right. */
export declare const isCode: (name: string) => boolean;
