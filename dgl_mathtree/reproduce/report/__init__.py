"""Tables, figures and pages, made from run folders alone."""
