import type { KnowledgeDocument } from '@amodal/sdk';
/** `false-positives`, `False Positives` and `false_positives` are one. */
export declare const plain: (name: string) => string;
/** What a document is about: its tags, its name, and the folders it stands in. */
export declare const topicsOf: ({ name, tags }: KnowledgeDocument) => readonly string[];
/** The document of a name, or else all that are about it; none where neither is there. */
export declare function wanted(documents: readonly KnowledgeDocument[], asked: string): readonly KnowledgeDocument[];
