import { z } from 'zod';
/** An image beside a message: base64 of a type that models read, and really of that type. */
export declare const imageSchema: (maxBytes: number) => z.ZodPipe<z.ZodObject<{
    mimeType: z.ZodEnum<{
        "image/gif": "image/gif";
        "image/jpeg": "image/jpeg";
        "image/png": "image/png";
        "image/webp": "image/webp";
    }>;
    data: z.ZodBase64;
}, z.core.$strip>, z.ZodTransform<{
    mediaType: "image/gif" | "image/jpeg" | "image/png" | "image/webp";
    data: string;
}, {
    mimeType: "image/gif" | "image/jpeg" | "image/png" | "image/webp";
    data: string;
}>>;
