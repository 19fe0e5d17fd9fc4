module outside {
    requires dev.hedgescope;
}
