/** A line of a choice that may wrap: as high for a finger whatever its length, with as much room above it as below. */
export const CHOICE = 'flex min-h-6 items-start gap-2 pointer-coarse:min-h-11 pointer-coarse:py-3'
/** One that stands alone between other parts of a form: that room is the form's own. */
export const CHOICE_ALONE = `${CHOICE} pointer-coarse:-my-3`
