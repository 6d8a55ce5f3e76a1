/** Types of images that the models of all providers read. */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
/**
 * What an image is by its first bytes, whatever is said of it: a provider refuses a conversation for good that has an image
 * of another type than it is told, or what is none.
 *
 * @param data base64
 */
export declare function imageTypeOf(data: string): ImageType | undefined;
