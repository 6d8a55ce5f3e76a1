/** What a body of a media type is made of. */
export type Category = 'json' | 'form' | 'multipart' | 'text' | 'bytes';
/** @param type of a body, with or without parameters: `application/json; charset=utf-8` */
export declare function categoryOf(type: string): Category;
/** In small letters, without parameters. */
export declare const essenceOf: (type: string) => string;
/** Whether `image/*` is meant by `image/png`. */
export declare function covers(range: string, type: string): boolean;
