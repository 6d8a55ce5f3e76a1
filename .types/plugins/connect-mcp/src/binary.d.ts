import { type ImageType } from '@amodal/sdk';
/** What a text of base64 holds, which nobody can read as text. */
export interface Binary {
    readonly data: string;
    readonly bytes: number;
    /** What it is said to be. */
    readonly mediaType?: string;
    /** What it is, where it is an image that models read. */
    readonly image?: ImageType;
}
/** Finds out whether a text is nothing but base64 of something that is no text. */
export declare function binaryIn(text: string): Binary | undefined;
/** In words: what it is, and how much of it. */
export declare const described: ({ bytes, mediaType, image }: Binary) => string;
export declare const sizeOf: (bytes: number) => string;
