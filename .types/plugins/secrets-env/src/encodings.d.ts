/** A shorter value is a word that stands in many texts; masking it would only hide those. */
export declare const SHORTEST = 6;
/** Every spelling in which a secret may turn up in a text: as it is, inside JSON, in URLs, in base64, in hex. */
export declare function spellings(secret: string): readonly string[];
