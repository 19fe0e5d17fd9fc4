/** The laws as checks that every test can use: start with {@link dev.hedgescope.laws.LawsExtension}. */
package dev.hedgescope.laws;
