/** Hedged requests for blocking code on virtual threads. */
module dev.hedgescope {
    requires HdrHistogram;
    requires static java.sql;
    requires static org.jspecify;

    exports dev.hedgescope;
    exports dev.hedgescope.jdbc;
    exports dev.hedgescope.testing;
}
