/** How it is on record that a held group's machine set is told no more of machines that it had not made; of the group. */
export const TAKE_BACK = {
  back: { intent: 'scaling.take-back', action: 'scaling.taken-back' },
  /** One was made in that very moment. */
  left: { intent: 'scaling.leave', action: 'scaling.left' },
}
